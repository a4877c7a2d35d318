export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

export function neighbours<T>(items: readonly T[]): [T, T][] {
  return items.slice(1).map((next, i): [T, T] => [items[i] as T, next]);
}
