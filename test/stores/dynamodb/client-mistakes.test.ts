import { playMistakes } from './client-mistakes.js';

playMistakes('F120 F121 mistakes and hiccups of the newest client', 'newest');
