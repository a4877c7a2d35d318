/**
 * Bundles a handler for Lambda, AWS SDK included, where the tool does not do it by itself.
 *
 * @param then what follows the command, if anything
 * @returns the lines of one command of a shell
 */
export function buildCommand(job: string, ...then: readonly string[]): string[] {
  const words = [
    `npx esbuild ${job}.ts --bundle --platform=node --target=node22 --main-fields=module,main`,
    `--minify --sourcemap --sources-content=false --outfile=dist/${job}.js`,
    ...then,
  ];
  return words.map((line, n) => `${n === 0 ? '' : '  '}${line}${n === words.length - 1 ? '' : ' \\'}`);
}
