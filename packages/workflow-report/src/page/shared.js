// What every page needs: it stands in front of the page's own script.

/** Characters of a long text that are laid out at a time. */
const PIECE = 100_000;

/** @param {string} id */
function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * @param {string} name
 * @param {string} kind
 * @param {string} text
 */
function element(name, kind, text) {
  const made = document.createElement(name);
  if (kind !== "") made.className = kind;
  // Text is never read as HTML.
  made.textContent = text;
  return made;
}

/**
 * @param {string} title
 * @param {string} text
 */
function longText(title, text) {
  const details = element("details", "long", "");
  const summary = element("summary", "", `${title} `);
  summary.append(element("span", "mark", `${text.length.toLocaleString("en")} characters`));
  details.append(summary);
  details.addEventListener("toggle", () => addPiece(details, text, 0), { once: true });
  return details;
}

/**
 * @param {HTMLElement} place
 * @param {string} text
 * @param {number} from
 */
function addPiece(place, text, from) {
  const to = from + PIECE;
  place.append(element("div", "data", text.slice(from, to)));
  if (to >= text.length) return;
  const more = element(
    "button",
    "",
    `Show more: ${(text.length - to).toLocaleString("en")} characters are left`,
  );
  more.addEventListener("click", () => {
    more.remove();
    addPiece(place, text, to);
  });
  place.append(more);
}
