/** A terminal's screen, as `tmux capture-pane -e` gives it, to an SVG: text stays text, in a window frame on a dark background. Pure. */

const CELL = { width: 8.4, height: 19 };
const PADDING = 18;
const TITLE_HEIGHT = 38;
const COLORS = {
  background: "#11151c",
  frame: "#1b212b",
  border: "#2b3340",
  text: "#d5dbe5",
  dim: "#7d8798",
  palette: ["#3b4252", "#f07178", "#a5d37a", "#ffcb6b", "#6fa8ff", "#c792ea", "#67d4e8", "#d5dbe5"],
};

export function ansiToSvg(screen, { title, columns }) {
  const lines = parseScreen(screen.replace(/\s+$/, ""));
  const width = Math.ceil(columns * CELL.width + 2 * PADDING);
  const height = Math.ceil(TITLE_HEIGHT + lines.length * CELL.height + 2 * PADDING);
  const text = lines.flatMap((runs, row) => runs.map((run) => runElement(run, row)));
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10" fill="${COLORS.background}" stroke="${COLORS.border}"/>`,
    `<path d="M1 11a10 10 0 0 1 10-10h${width - 22}a10 10 0 0 1 10 10v${TITLE_HEIGHT - 11}H1z" fill="${COLORS.frame}"/>`,
    ...["#ff5f57", "#febc2e", "#28c840"].map(
      (color, index) => `<circle cx="${22 + index * 20}" cy="${TITLE_HEIGHT / 2}" r="6" fill="${color}"/>`,
    ),
    `<text x="${width / 2}" y="${TITLE_HEIGHT / 2 + 4}" text-anchor="middle" font-family="system-ui, sans-serif" font-size="12.5" fill="${COLORS.dim}">${escapeXml(title)}</text>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">`,
    ...text,
    "</g>",
    "</svg>",
  ].join("\n")}\n`;
}

/** Of each line its runs: text of one style without wide gaps, with the column that it begins in. A style goes on in the next line. */
function parseScreen(screen) {
  let style = {};
  return screen.split("\n").map((line) => {
    const runs = [];
    let column = 0;
    for (const part of line.split(/(\u001b\[[0-9;]*m| {2,}|^ | $)/)) {
      const sequence = /^\u001b\[([0-9;]*)m$/.exec(part);
      if (sequence !== null) {
        style = styleAfter(style, sequence[1].split(";").map(Number));
        continue;
      }
      // White space at the ends of an element is not sure to be kept.
      const before = part.length - part.trimStart().length;
      if (part.trim() !== "") runs.push({ text: part.trim(), column: column + before, style });
      column += [...part].length;
    }
    return runs;
  });
}

function styleAfter(style, codes) {
  let next = style;
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index];
    if (code === 0) next = {};
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 2) next = { ...next, dim: true };
    else if (code === 3) next = { ...next, italic: true };
    else if (code === 4) next = { ...next, underline: true };
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 23) next = { ...next, italic: false };
    else if (code === 24) next = { ...next, underline: false };
    else if (code === 39) next = { ...next, color: undefined };
    else if (code >= 30 && code <= 37) next = { ...next, color: COLORS.palette[code - 30] };
    else if (code >= 90 && code <= 97) next = { ...next, color: COLORS.palette[code - 90] };
    // 256 colours and true colours are not used by the chat: their parameters are passed over.
    else if (code === 38 || code === 48) index += codes[index + 1] === 5 ? 2 : 4;
  }
  return next;
}

function runElement({ text, column, style }, row) {
  const x = round(PADDING + column * CELL.width);
  const y = round(TITLE_HEIGHT + PADDING + (row + 0.75) * CELL.height);
  const attributes = [
    `fill="${style.color ?? (style.dim === true ? COLORS.dim : COLORS.text)}"`,
    ...(style.color !== undefined && style.dim === true ? ['fill-opacity="0.7"'] : []),
    ...(style.bold === true ? ['font-weight="bold"'] : []),
    ...(style.italic === true ? ['font-style="italic"'] : []),
    ...(style.underline === true ? ['text-decoration="underline"'] : []),
    // Whatever font there is, the columns stay where they are.
    `textLength="${round([...text].length * CELL.width)}" lengthAdjust="spacingAndGlyphs"`,
  ];
  return `<text x="${x}" y="${y}" ${attributes.join(" ")}>${escapeXml(text)}</text>`;
}

function round(value) {
  return Math.round(value * 10) / 10;
}

function escapeXml(text) {
  return text.replace(
    /[&<>"]/g,
    (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign] ?? sign,
  );
}
