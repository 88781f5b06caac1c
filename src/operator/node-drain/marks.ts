/** What keeps a NodeDrain from being gone before what it did is undone. */
export const finalizer = 'drover.dev/node-drain';

/** On a node: the NodeDrain that cordoned it. Written with the cordon itself, so that only what a drain cordoned is ever uncordoned by it. */
export const cordonedBy = 'drover.dev/cordoned-by';
