declare module 'pg-8.0' {
  export * from 'pg';
}
declare module 'mysql' {
  export const createPool: (url: string) => object;
  export const createConnection: (url: string) => object;
}
