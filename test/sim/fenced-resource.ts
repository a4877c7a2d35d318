/** What jobs write to: it refuses a fencing token below the highest that it has seen. */
export interface FencedResource {
  /**
   * @param place of the writer's grant among all grants
   * @param newest place of the newest grant
   * @returns what fencing has failed to do
   */
  write(token: number, place: number, newest: number): string | undefined;
}

export function fencedResource(): FencedResource {
  let highest = 0;
  let newestWriter = -1;
  return {
    write(token, place, newest) {
      if (token < highest) {
        return place === newest ? `the newest grant, ${token}, was refused after ${highest}` : undefined;
      }
      highest = token;
      if (place < newestWriter) return `grant ${token} wrote after a newer one`;
      newestWriter = place;
      return undefined;
    },
  };
}
