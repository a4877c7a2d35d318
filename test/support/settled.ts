/** Whether a promise has settled, for a clock that stands still. */
export function settledOf(promise: Promise<unknown>): () => boolean {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  promise.then(settle, settle);
  return () => settled;
}
