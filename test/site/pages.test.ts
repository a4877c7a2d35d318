import { expect, test } from 'vitest';
import { inlineCode } from '../../site/inline-code.js';
import { placedText, summaryOf } from '../../site/pages.js';

const places = new Map([
  ['README.md', 'index.md'],
  ['docs/cli.md', 'cli.md'],
  ['docs/guides/leader.md', 'guides/leader.md'],
]);

test.each([
  ['README.md', '[x](docs/cli.md#run)', '[x](/cli.md#run)'],
  ['docs/guides/leader.md', '[x](../cli.md)', '[x](/cli.md)'],
  ['docs/guides/leader.md', '[up](../../README.md)', '[up](/index.md)'],
  ['README.md', '[decisions](docs/adr)', '[decisions](/adr/index.md)'],
  [
    'README.md',
    '[there](https://example.com/a.md) [here](#install)',
    '[there](https://example.com/a.md) [here](#install)',
  ],
  ['README.md', '![race](docs/images/race.svg)', '![race](images/race.svg)'],
  ['docs/cli.md', '![jobs](images/console-jobs.png)', '![jobs](images/console-jobs.png)'],
  ['docs/guides/leader.md', '![jobs](../images/console-jobs.png)', '![jobs](../images/console-jobs.png)'],
  ['README.md', '```md\n[x](docs/cli.md)\n```', '```md\n[x](docs/cli.md)\n```'],
])('in %s, %j becomes %j', (page, text, placed) => {
  expect(placedText(page, text, places)).toBe(placed);
});

test('a file of the repository is only named as long as package.json does not say where that is', () => {
  expect(placedText('docs/cli.md', 'see [the tool](../src/cli/main.ts)', places)).toBe('see the tool');
});

test('a link to a file that is not there fails', () => {
  expect(() => placedText('docs/cli.md', '[x](gone.md)', places)).toThrow('which is not there');
});

test.each([
  ['# Leader\n\nA [leader](x.md) is `one` process. More.\n\nElse.', 'A leader is one process. More.'],
  ['# Console\n\n```sh\nnpx x\n```\n', ''],
])('the summary of %j is %j', (text, summary) => {
  expect(summaryOf(text)).toBe(summary);
});

test('Vue does not evaluate inline code, and a long name in it may break', () => {
  expect(inlineCode('<code>{{ github.event_name }}</code>')).toBe(
    '<code v-pre>{{ github.<wbr>event_<wbr>name }}</code>',
  );
});
