/**
 * Inline code as the site shows it. In a narrow cell a path, a member or a constant breaks between its parts. `v-pre`
 * keeps Vue from evaluating what stands between double braces, such as an expression of GitHub Actions.
 */
export const inlineCode = (html: string): string =>
  html.replace(/^<code/, '<code v-pre').replace(/(?<=\w)([/_](?=[a-z])|[.](?=[a-z]{5}))/gi, '$&<wbr>');
