import type { Platform } from './platform.js';
import { azure } from './platforms/azure.js';
import { cloudflare } from './platforms/cloudflare.js';
import { decorator, nestMethod } from './platforms/decorators.js';
import { http } from './platforms/http.js';
import { lambda } from './platforms/lambda.js';
import { middyHandler } from './platforms/middy.js';
import { process } from './platforms/process.js';

/** Every adapter and aspect that wraps a function. node-cron's coordinator is not here: it wraps no function. */
export const PLATFORMS: readonly Platform[] = [
  lambda,
  http,
  cloudflare,
  azure,
  process,
  middyHandler,
  decorator,
  nestMethod,
];
