import {
  createDocument,
  type Document,
  docxMessage,
  editDocument,
  saveDocument,
} from "@uncaged/workflow-docx";

// The documents of a picture: an offer, and the offer after a review.

const OFFER = [
  { kind: "paragraph", style: "Title", text: "Offer for Harbour Library" },
  { kind: "paragraph", style: "Subtitle", text: "Offer 2026-014, 31 January 2026" },
  { kind: "heading", level: 1, text: "What you get" },
  {
    kind: "paragraph",
    text: "Thank you for your request. For your reading room we offer the following furniture, delivered and set up.",
  },
  {
    kind: "table",
    header: true,
    rows: [
      ["Piece", "Number", "Price"],
      ["Chair, oak", "20", "2,800 €"],
      ["Table, oak, 160 × 80 cm", "5", "2,450 €"],
      ["Lamp", "10", "690 €"],
      ["**Together**", "", "**5,940 €**"],
    ],
  },
  { kind: "heading", level: 1, text: "Terms" },
  {
    kind: "list",
    ordered: false,
    items: ["Delivery within six weeks after your order", "30 days for payment", "Five years of guarantee"],
  },
  { kind: "heading", level: 1, text: "Until when" },
  {
    kind: "paragraph",
    text: "This offer is valid until 28 February 2026. We are glad to change it as you need.",
  },
];

const EDITS = [
  { op: "setCell", block: 5, row: 2, column: 2, expect: "20", text: "25" },
  { op: "setCell", block: 5, row: 2, column: 3, expect: "2,800 €", text: "3,500 €" },
  { op: "setCell", block: 5, row: 5, column: 3, expect: "5,940 €", text: "6,640 €" },
  { op: "replaceText", block: 7, expect: "Delivery…", find: "six weeks", text: "four weeks" },
  { op: "insertAfter", block: 9, expect: "Five years…", text: "We take the old chairs with us" },
  {
    op: "replaceText",
    block: 11,
    expect: "This offer…",
    find: "We are glad to change it as you need.",
    text: "Call Kim Berg, who knows the details.",
  },
];

export function makeOffer(): Readonly<Record<string, Uint8Array>> {
  const filled = unwrap(createDocument(OFFER));
  const edited = unwrap(editDocument(filled, EDITS));
  return { "old.docx": saveDocument(filled), "new.docx": saveDocument(edited) };
}

type Made = ReturnType<typeof createDocument> | ReturnType<typeof editDocument>;

function unwrap(made: Made): Document {
  if (made.ok) return made.value;
  const faults = Array.isArray(made.error) ? made.error : [made.error];
  throw new Error(faults.map(docxMessage).join("\n"));
}
