/** Mermaid's arrows, and how they look here. */
const LOOKS: Readonly<Record<string, string>> = { '->>': 'solid', '-->': 'solid', '-->>': 'dashed', '--x': 'lost' };

/** A box below one participant or state, or an arrow from one to another. */
interface Row {
  readonly from: string;
  readonly to: string;
  readonly look: string;
  readonly text: string;
}

/**
 * A sequence or state diagram of Mermaid as a list that a grid lays out, so that no font is measured here and the
 * browser breaks the lines of a label on a screen of any width. Participants, or states, are columns; each step is a
 * row. Screen readers hear the block's `accTitle`, and then a sentence a row.
 *
 * @throws Error for a block of another kind, without a title, or with a line that is not drawn here
 */
export function diagram(code: string): string {
  const [kind = '', ...lines] = code.trim().split(/\s*\n\s*/);
  const title = lines.find((line) => line.startsWith('accTitle: '))?.slice('accTitle: '.length);
  if (!/^(sequenceDiagram|stateDiagram-v2)$/.test(kind) || !title) {
    throw new Error(`the site draws sequenceDiagram and stateDiagram-v2 with an accTitle: ${code}`);
  }
  const named = lines.map((line) => /^participant (\w+) as (.+)$/.exec(line)).filter((match) => match !== null);
  const rows = lines.filter((line) => !/^(accTitle:|participant) /.test(line)).map(rowOf);
  const names = new Map(named.map(([, id = '', name = '']) => [id, name]));
  for (const id of rows.flatMap(({ from, to }) => [from, to])) if (!names.has(id)) names.set(id, id);
  return figure(title, names, rows);
}

function rowOf(line: string): Row {
  const [, over = '', note = ''] = /^Note over (\w+): (.+)$/.exec(line) ?? [];
  if (over) return { from: over, to: over, look: 'note', text: note };
  const [, from = '', arrow = '', to = '', text = ''] =
    /^(\w+|\[\*\]) ?(-->>|->>|--x|-->) ?(\w+): (.+)$/.exec(line) ?? [];
  if (!from) throw new Error(`the site draws no such line of a diagram: ${line}`);
  // What begins in no state, or leads to the same one, is a box below that state.
  if (from === '[*]' || from === to) return { from: to, to, look: 'note', text };
  return { from, to, look: LOOKS[arrow] ?? '', text };
}

function figure(title: string, names: ReadonlyMap<string, string>, rows: readonly Row[]): string {
  const columns = [...names.keys()];
  const heads = [...names.values()].map((name, column) =>
    item('head', `1/${column * 2 + 1}/auto/${column * 2 + 3}`, escaped(name)),
  );
  const steps = rows.map(({ from, to, look, text }, index) => {
    const [start, end] = [columns.indexOf(from) * 2, columns.indexOf(to) * 2];
    const spoken = look === 'note' ? `${names.get(to)}: ` : `${names.get(from)} to ${names.get(to)}: `;
    const label = `<span class="visually-hidden">${escaped(spoken)}</span>${escaped(text)}`;
    if (look === 'note') return item(look, `${index + 2}/${start + 1}/auto/${start + 3}`, label);
    const points = start < end ? 'right' : 'left';
    return item(
      `${look} ${points}`,
      `${index + 2}/${Math.min(start, end) + 2}/auto/${Math.max(start, end) + 2}`,
      label,
    );
  });
  const list = `<ol style="--columns:${columns.length}">${heads.join('')}${steps.join('')}</ol>`;
  return `<figure class="diagram" aria-label="${escaped(title)}" v-pre>${list}</figure>\n`;
}

const item = (kind: string, area: string, html: string) => `<li class="${kind}" style="grid-area:${area}">${html}</li>`;

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
