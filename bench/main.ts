/** `npm run bench -- cache`: one measurement with its rival in the same run. Without a name: all of them. */
import { readdirSync } from 'node:fs';

const all = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const chosen = process.argv[2];
if (chosen !== undefined && !all.includes(chosen)) {
  console.error(`there is no benchmark ${chosen}; choose one of ${all.join(', ')}`);
  process.exit(2);
}
for (const name of chosen === undefined ? all : [chosen]) {
  const module: { bench: () => Promise<void> } = await import(`./${name}/bench.ts`);
  await module.bench();
}
