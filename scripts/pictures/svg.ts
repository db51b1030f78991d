import { parseAnsi } from "./ansi.js";
import type { Line, Run, Screenful } from "./types.js";

const FONT = 14;
/** Of a character; every text is stretched to it, whatever the reader's font. */
const WIDTH = 8.4;
const HEIGHT = 18;
const MARGIN = 16;

/** Two palettes with enough contrast: the reader's system chooses. */
const STYLE = `
    text { font: ${FONT}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328; white-space: pre; }
    .window { fill: #f6f8fa; stroke: #d1d9e0; }
    .red { fill: #c9252d; } .green { fill: #1a7f37; } .yellow { fill: #8a6100; } .cyan { fill: #0b6e8a; }
    .bold { font-weight: bold; } .dim { fill: #6a737d; } .struck { text-decoration: line-through; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .window { fill: #161b22; stroke: #3d444d; }
      .red { fill: #ff7b72; } .green { fill: #56d364; } .yellow { fill: #e3b341; } .cyan { fill: #56d4dd; }
      .dim { fill: #9198a1; }
    }`;

/** A terminal with one command after the other. */
export function svgOf(title: string, screenfuls: readonly Screenful[]): string {
  const lines = screenfuls.flatMap(({ command, output }, index) => [
    ...(index === 0 ? [] : [[]]),
    ...typed(command),
    ...parseAnsi(output),
  ]);
  const columns = Math.max(...lines.map((line) => widthOf(line)));
  const width = Math.ceil(columns * WIDTH + 2 * MARGIN);
  const height = lines.length * HEIGHT + 2 * MARGIN;
  const texts = lines.flatMap((line, row) => textsOf(line, row));
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
  <title>${escaped(title)}</title>
  <style>${STYLE}
  </style>
  <rect class="window" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>
${texts.join("\n")}
</svg>
`;
}

function typed(command: string): readonly Line[] {
  return command.split("\n").map((text, index) => [
    { text: index === 0 ? "$ " : "    ", colour: null, bold: false, dim: true, struck: false },
    { text, colour: null, bold: true, dim: false, struck: false },
  ]);
}

function widthOf(line: Line): number {
  return line.reduce((sum, { text }) => sum + text.length, 0);
}

function textsOf(line: Line, row: number): readonly string[] {
  const y = MARGIN + row * HEIGHT + FONT - 1;
  let column = 0;
  return line.flatMap((run) => {
    const start = column;
    column += run.text.length;
    return words(run, start).map(({ text, at }) => {
      const [x, length] = [MARGIN + at * WIDTH, text.length * WIDTH].map((each) => each.toFixed(1));
      return `  <text${classOf(run)} x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs">${escaped(text)}</text>`;
    });
  });
}

/** Pieces between wide gaps: some viewers make one space of many. */
function words({ text }: Run, start: number): readonly { readonly text: string; readonly at: number }[] {
  return [...text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: piece, index }) => ({
    text: piece,
    at: start + index,
  }));
}

function classOf({ colour, bold, dim, struck }: Run): string {
  const classes = [colour, bold ? "bold" : null, dim ? "dim" : null, struck ? "struck" : null].filter(
    (each) => each !== null,
  );
  return classes.length === 0 ? "" : ` class="${classes.join(" ")}"`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
