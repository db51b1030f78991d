/** What `docx-diff --help` prints. */
export const HELP = `Examples:
  $ docx-diff old.docx new.docx
  $ docx-diff old.docx new.docx --output docx --out-file changes.docx
  $ docx-diff old.docx new.docx --out-file changes.html
  $ git show HEAD:report.docx | docx-diff - report.docx

Usage: docx-diff <source> <modified> [options]

Shows what differs between two Word documents, word by word, each block under its heading. One of the two may be - for
stdin. Tracked changes that a document has already count as accepted.

Options:
  --output <format>        text, html, json or docx. Without it the name of --out-file decides (changes.html); else text
                             text  what differs, in colour on a terminal: NO_COLOR turns that off
                             html  a page that needs nothing else and has no script
                             json  {equal, source, modified, summary, changes, others}
                             docx  the modified document with tracked changes: accepting all of them gives it, rejecting
                                   all gives the source
  -o, --out-file <file>    where to; without it stdout. A file of that name is replaced, complete or not at all
  --author <name>          who the tracked changes are by (default: docx-diff)
  --error-format <format>  how a failure is printed: text or json
  -h, --help
  -V, --version

What a line shows:
  12: We have [-three-]{+four+} apples.    block 12 of the modified document
  old 4: [-It rains.-]                     block 4 of the source, which is gone

Exit codes: 0 no difference, 1 the documents differ (both with a result), 2 usage, 3 no such file, 4 not a document that
can be compared, 70 a bug, 74 reading or writing failed. From 2 on nothing has been written.
`;
