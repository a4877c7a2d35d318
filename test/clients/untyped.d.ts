declare module 'pg-8.0' {
  export * from 'pg';
}
