import { options } from 'preact';
import { safeText } from '../../safe-text.js';

/** Shows each text and each label as a terminal would: a name that turns the direction of writing is escaped. */
export function showSafeTexts(): void {
  options.vnode = (vnode: { readonly type: unknown; props: unknown }) => {
    const { type, props } = vnode;
    // A text is a node without a type.
    if (typeof props === 'string') vnode.props = safeText(props);
    if (typeof type !== 'string') return;
    const labelled = props as { 'aria-label'?: unknown };
    if (typeof labelled['aria-label'] === 'string') labelled['aria-label'] = safeText(labelled['aria-label']);
  };
}
