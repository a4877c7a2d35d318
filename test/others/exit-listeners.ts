/**
 * Statements that make a package of the registry listen for the signals of its process. Each listens by the package
 * signal-exit, of version 3 or 4, which ends the process only if no other listener than its own is left.
 */
export const EXIT_LISTENERS: Readonly<Record<string, string>> = {
  'signal-exit 3': "(await import('signal-exit-3')).default(() => say('exit handler'));",
  'signal-exit 4': "(await import('signal-exit')).onExit(() => say('exit handler'));",
  'signal-exit 3, then 4': `
    (await import('signal-exit-3')).default(() => say('exit handler'));
    (await import('signal-exit')).onExit(() => say('exit handler'));`,
  'signal-exit 4, then 3': `
    (await import('signal-exit')).onExit(() => say('exit handler'));
    (await import('signal-exit-3')).default(() => say('exit handler'));`,
  'two copies of signal-exit 3': `
    (await import('signal-exit-3')).default(() => say('exit handler'));
    const { createRequire } = await import('node:module');
    createRequire(import.meta.resolve('proper-lockfile'))('signal-exit')(() => {});`,
  'execa 6, while its command runs': "(await import('execa-6')).execa('sleep', ['60']).catch(() => {});",
  'execa 7, while its command runs': "(await import('execa-7')).execa('sleep', ['60']).catch(() => {});",
  'execa 9, while its command runs': "(await import('execa')).execa('sleep', ['60']).catch(() => {});",
  'proper-lockfile': `
    const { default: lockfile } = await import('proper-lockfile');
    await lockfile.lock(process.execPath, { lockfilePath: folder + '/lock-' + process.pid });`,
  'write-file-atomic 3':
    "await (await import('write-file-atomic-3')).default(folder + '/file-' + process.pid, 'text');",
  'write-file-atomic 3, while it writes': `
    const { default: writeAtomically } = await import('write-file-atomic-3');
    writeAtomically(folder + '/file-' + process.pid, 'x'.repeat(1e8)).catch(() => {});`,
};
