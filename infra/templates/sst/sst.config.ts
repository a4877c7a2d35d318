/// <reference path="./.sst/platform/config.d.ts" />

export default $config({
  app(input) {
    return { name: 'send-digest', home: 'aws', removal: input?.stage === 'production' ? 'retain' : 'remove' };
  },
  async run() {
    await import('./send-digest.sst');
  },
});
