import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { templates } from './templates.js';

// Writes the templates anew: npm run templates.
for (const [file, text] of Object.entries(templates())) writeFileSync(join(import.meta.dirname, file), text);
