/** Packages that NestJS loads only if they are installed. */
export const NEST_OPTIONAL = [
  'class-transformer',
  'class-validator',
  ...['microservices', 'platform-express', 'websockets'].flatMap((name) => [`@nestjs/${name}`, `@nestjs/${name}/*`]),
];
