// How a new document looks. Arial, because every machine has it or a font of the same widths; a document that is laid out
// with another font has other ends of lines and pages.

const INK = "1F3864";
const GREY = "595959";

type Style = {
  readonly name: string;
  readonly paragraph: string;
  readonly run: string;
  /** What an empty paragraph after it is. */
  readonly next: string;
};

function heading(level: number, halfPoints: number, before: number, run: string): Style {
  return {
    name: `heading ${level}`,
    paragraph: `<w:keepNext/><w:keepLines/><w:spacing w:before="${before}" w:after="80" w:line="240" w:lineRule="auto"/><w:outlineLvl w:val="${level - 1}"/>`,
    run: `${run}<w:color w:val="${INK}"/><w:sz w:val="${halfPoints}"/><w:szCs w:val="${halfPoints}"/>`,
    next: "Normal",
  };
}

function listStyle(name: string, list: number): Style {
  return {
    name,
    paragraph: `<w:numPr><w:numId w:val="${list}"/></w:numPr><w:contextualSpacing/>`,
    run: "",
    next: "",
  };
}

/** Of the two styles of lists. Ordered lists after the first have further ones, so that each begins with 1. */
export const BULLETS = 1;
export const NUMBERS = 2;

const STYLES: Readonly<Record<string, Style>> = {
  Title: {
    name: "Title",
    paragraph: `<w:keepNext/><w:pBdr><w:bottom w:val="single" w:sz="8" w:space="4" w:color="${INK}"/></w:pBdr><w:spacing w:before="0" w:after="240" w:line="240" w:lineRule="auto"/>`,
    run: `<w:color w:val="${INK}"/><w:sz w:val="48"/><w:szCs w:val="48"/>`,
    next: "Normal",
  },
  Subtitle: {
    name: "Subtitle",
    paragraph: '<w:keepNext/><w:spacing w:before="0" w:after="240"/>',
    run: `<w:color w:val="${GREY}"/><w:sz w:val="26"/><w:szCs w:val="26"/>`,
    next: "Normal",
  },
  Heading1: heading(1, 32, 360, "<w:b/><w:bCs/>"),
  Heading2: heading(2, 26, 280, "<w:b/><w:bCs/>"),
  Heading3: heading(3, 23, 240, "<w:b/><w:bCs/>"),
  Heading4: heading(4, 21, 200, "<w:b/><w:bCs/>"),
  Heading5: heading(5, 21, 200, "<w:i/><w:iCs/>"),
  Heading6: heading(6, 20, 200, "<w:i/><w:iCs/>"),
  Quote: {
    name: "Quote",
    paragraph: `<w:pBdr><w:left w:val="single" w:sz="18" w:space="10" w:color="BFBFBF"/></w:pBdr><w:ind w:left="400" w:right="400"/>`,
    run: `<w:i/><w:iCs/><w:color w:val="${GREY}"/>`,
    next: "Normal",
  },
  ListBullet: listStyle("List Bullet", BULLETS),
  ListNumber: listStyle("List Number", NUMBERS),
  TableText: {
    name: "Table Text",
    paragraph: '<w:spacing w:before="50" w:after="50" w:line="240" w:lineRule="auto"/>',
    run: '<w:sz w:val="20"/><w:szCs w:val="20"/>',
    next: "",
  },
};

/** The styles that a paragraph can be given: the names that word processors show, by id. */
export const STYLE_NAMES: ReadonlyMap<string, string> = new Map([
  ["Normal", "Normal"],
  ...Object.entries(STYLES).map(([id, { name }]) => [id, name] as const),
]);

export const WORDPROCESSING = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

const FONTS = '<w:rFonts w:ascii="Arial" w:hAnsi="Arial" w:eastAsia="Arial" w:cs="Arial"/>';

function styleXml(id: string, { name, paragraph, run, next }: Style): string {
  const after = next === "" ? "" : `<w:next w:val="${next}"/>`;
  return (
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/><w:basedOn w:val="Normal"/>${after}` +
    `<w:qFormat/><w:pPr>${paragraph}</w:pPr><w:rPr>${run}</w:rPr></w:style>`
  );
}

const border = (side: string): string => `<w:${side} w:val="single" w:sz="4" w:space="0" w:color="A6A6A6"/>`;

export const STYLES_XML = `<w:styles xmlns:w="${WORDPROCESSING}"><w:docDefaults><w:rPrDefault><w:rPr>${FONTS}<w:sz w:val="21"/><w:szCs w:val="21"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:before="120" w:after="80" w:line="276" w:lineRule="auto"/></w:pPr></w:pPrDefault></w:docDefaults><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/><w:qFormat/></w:style><w:style w:type="character" w:default="1" w:styleId="DefaultParagraphFont"><w:name w:val="Default Paragraph Font"/></w:style><w:style w:type="table" w:default="1" w:styleId="TableNormal"><w:name w:val="Normal Table"/><w:tblPr><w:tblInd w:w="0" w:type="dxa"/><w:tblCellMar><w:top w:w="0" w:type="dxa"/><w:left w:w="108" w:type="dxa"/><w:bottom w:w="0" w:type="dxa"/><w:right w:w="108" w:type="dxa"/></w:tblCellMar></w:tblPr></w:style><w:style w:type="numbering" w:default="1" w:styleId="NoList"><w:name w:val="No List"/></w:style>${Object.entries(
  STYLES,
)
  .map(([id, style]) => styleXml(id, style))
  .join(
    "",
  )}<w:style w:type="table" w:styleId="TableGrid"><w:name w:val="Table Grid"/><w:basedOn w:val="TableNormal"/><w:tblPr><w:tblBorders>${["top", "left", "bottom", "right", "insideH", "insideV"].map(border).join("")}</w:tblBorders></w:tblPr><w:tblStylePr w:type="firstRow"><w:rPr><w:b/><w:bCs/></w:rPr><w:tcPr><w:shd w:val="clear" w:color="auto" w:fill="DCE3EE"/></w:tcPr></w:tblStylePr></w:style></w:styles>`;
