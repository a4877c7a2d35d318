import * as door from '../../../../src/admin/lock-admin.js';
import { callers, holdsNow, tellEnd } from '../control.js';

/* The door of operators, whose example is followed by more reads. */

export * from '../../../../src/admin/lock-admin.js';

export const lockAdmin: typeof door.lockAdmin = (...args) => {
  const admin = door.lockAdmin(...args);
  const list = async () => {
    await holdsNow();
    return admin.list();
  };
  callers.push(() => tellEnd(list));
  return admin;
};
