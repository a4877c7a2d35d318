import { playMistakes } from './client-mistakes.js';

playMistakes('F120 F121 mistakes and hiccups of the oldest client', 'oldest');
playMistakes('F120 F121 mistakes and hiccups of a client in a tree with several copies of its core', 'copied');
