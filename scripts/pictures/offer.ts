import {
  createDocument,
  type Document,
  docxMessage,
  editDocument,
  fillTemplate,
  saveDocument,
} from "@uncaged/workflow-docx";

// The documents of the pictures: a template, an offer that was made of it, and the offer after a review.

const TEMPLATE = [
  { kind: "paragraph", style: "Title", text: "Offer for {customer}" },
  { kind: "paragraph", style: "Subtitle", text: "{number}, {date}" },
  { kind: "heading", level: 1, text: "What you get" },
  {
    kind: "paragraph",
    text: "Thank you for your request. For your {place} we offer the following furniture, delivered and set up.",
  },
  {
    kind: "table",
    header: true,
    rows: [
      ["Piece", "Number", "Price"],
      ["{#items}{piece}", "{count}", "{price}{/items}"],
      ["**Together**", "", "**{total}**"],
    ],
  },
  { kind: "heading", level: 1, text: "Terms" },
  {
    kind: "list",
    ordered: false,
    items: [
      "Delivery within {weeks} weeks after your order",
      "{days} days for payment",
      "Five years of guarantee",
    ],
  },
  { kind: "heading", level: 1, text: "Until when" },
  { kind: "paragraph", text: "This offer is valid until {until}. We are glad to change it as you need." },
];

const DATA = {
  customer: "Harbour Library",
  number: "Offer 2026-014",
  date: "31 January 2026",
  place: "reading room",
  items: [
    { piece: "Chair, oak", count: "20", price: "2,800 €" },
    { piece: "Table, oak, 160 × 80 cm", count: "5", price: "2,450 €" },
    { piece: "Lamp", count: "10", price: "690 €" },
  ],
  total: "5,940 €",
  weeks: "six",
  days: "30",
  until: "28 February 2026",
};

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

export type Offer = { readonly filled: Uint8Array; readonly edited: Uint8Array };

export async function makeOffer(): Promise<Offer> {
  const template = unwrap(createDocument(TEMPLATE));
  const filled = unwrap(await fillTemplate(template, DATA));
  const edited = unwrap(editDocument(filled, EDITS));
  return { filled: saveDocument(filled), edited: saveDocument(edited) };
}

type Made = ReturnType<typeof createDocument> | ReturnType<typeof editDocument>;

function unwrap(made: Made): Document {
  if (made.ok) return made.value;
  const faults = Array.isArray(made.error) ? made.error : [made.error];
  throw new Error(faults.map(docxMessage).join("\n"));
}
