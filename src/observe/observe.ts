export { type EmfOptions, emfObserver } from './emf-observer.js';
export { jsonLogObserver } from './json-log-observer.js';
