import type { Runtime } from 'aws-cdk-lib/aws-lambda';
import { type BundlingOptions, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';

/** `require` for bundled CommonJS packages. It is global, so that it does not clash with a name of the bundle. */
const COMMONJS =
  "import{createRequire as $require}from'node:module';import{dirname as $dirname}from'node:path';import{fileURLToPath as $path}from'node:url';globalThis.require??=$require(import.meta.url);globalThis.__filename??=$path(import.meta.url);globalThis.__dirname??=$dirname(globalThis.__filename);";

const BUNDLING: BundlingOptions = {
  mainFields: ['module', 'main'],
  bundleAwsSDK: true,
  minify: true,
  sourceMap: true,
  sourcesContent: false,
};

/**
 * How a handler is bundled for a runtime: one ES module with the AWS SDK in it, but for what its user says.
 *
 * @throws TypeError for a runtime that names no version of Node.js, when no `target` is given
 */
export function bundlingOf(runtime: Runtime, given: BundlingOptions = {}): BundlingOptions {
  const { format = OutputFormat.ESM, banner = '', target = targetOf(runtime) } = given;
  return { ...BUNDLING, ...given, target, format, banner: format === OutputFormat.ESM ? COMMONJS + banner : banner };
}

/** `nodejs24.x` as esbuild names it. */
function targetOf({ name }: Runtime): string {
  const [, version] = /^nodejs(\d+)\.x$/.exec(name) ?? [];
  if (version === undefined) {
    throw new TypeError(`runtime is '${name}': give one of Node.js with its version, such as Runtime.NODEJS_24_X`);
  }
  return `node${version}`;
}
