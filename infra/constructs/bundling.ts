import type { Runtime } from 'aws-cdk-lib/aws-lambda';
import { type BundlingOptions, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';

/**
 * Defines `require`, `__filename` and `__dirname` for bundled CommonJS packages. They are global, so that they do not
 * clash with names in the bundle.
 */
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
 * Makes the bundling options of a handler: one ES module for the runtime, which contains the AWS SDK. The options in
 * `given` replace those in `BUNDLING`.
 *
 * @throws TypeError if the runtime names no version of Node.js, and no `target` is given
 */
export function bundlingOf(runtime: Runtime, given: BundlingOptions = {}): BundlingOptions {
  const { format = OutputFormat.ESM, banner = '', target = targetOf(runtime) } = given;
  return { ...BUNDLING, ...given, target, format, banner: format === OutputFormat.ESM ? COMMONJS + banner : banner };
}

/** Returns the name of a runtime in esbuild: `node24` for `nodejs24.x`. */
function targetOf({ name }: Runtime): string {
  const [, version] = /^nodejs(\d+)\.x$/.exec(name) ?? [];
  if (version === undefined) {
    throw new TypeError(`runtime is '${name}': pass one of Node.js with its version, such as Runtime.NODEJS_24_X`);
  }
  return `node${version}`;
}
