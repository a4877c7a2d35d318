import type { DefaultTheme } from 'vitepress';

/*
 * How the site's search ranks. VitePress sends these functions to the browser as texts: each stands for itself, without
 * anything from outside of it.
 */

/** What a section's page is called, which is absent in the section at the top of a page. */
interface Stored {
  readonly titles?: readonly string[];
}

export const searchOptions = {
  // A question's small words are in every section.
  processTerm(term: string): string | null {
    const word = term.toLowerCase();
    const small =
      'a an the is are it its my i do does of to for in on with and or if how much what where when why can did not no';
    return small.split(' ').includes(word) ? null : word;
  },
  // In a short word one changed letter makes another word.
  fuzzy: (term: string): number | false => (term.length > 5 ? 0.2 : false),
  /** A guide explains a word, the proof and the reference use it everywhere, and the home page has all of them. */
  boostDocument(section: string, _term: string, stored?: Readonly<Record<string, unknown>>): number {
    if (/\/(api|adr)\//.test(section)) return 0.05;
    if (
      /\/(protocol|promises|faults|reliability|conformance|benchmarks|contributing|changelog|security)\b/.test(section)
    )
      return 0.2;
    if (/\/(#|$)|\/(reference|logs|comparison|versioning)\b/.test(section)) return 0.6;
    if (/\/paths\//.test(section)) return 0.8;
    return (stored as Stored | undefined)?.titles?.length === 0 ? 1.5 : 1;
  },
} satisfies NonNullable<DefaultTheme.LocalSearchOptions['miniSearch']>['searchOptions'];
