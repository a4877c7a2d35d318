/** Bundles a handler for Lambda, AWS SDK included, where the tool does not do it by itself. */
export function buildCommand(job: string): string[] {
  return [
    `npx esbuild ${job}.ts --bundle --platform=node --target=node22 --main-fields=module,main \\`,
    `  --minify --sourcemap --sources-content=false --outfile=dist/${job}.js`,
  ];
}
