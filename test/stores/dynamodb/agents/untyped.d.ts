declare module 'newrelic' {
  type Handler<T> = (event: object, context: object) => Promise<T>;

  const newrelic: { setLambdaHandler<T>(handler: Handler<T>): Handler<T> };

  // biome-ignore lint/style/noDefaultExport: the package has one
  export { newrelic as default };
}
