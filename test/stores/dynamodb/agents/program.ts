import type { Agent } from './agent.js';

const AGENTS: Readonly<Record<string, () => Promise<{ readonly agent: Agent }>>> = {
  'dd-trace': () => import('./dd-trace.js'),
  newrelic: () => import('./newrelic.js'),
  opentelemetry: () => import('./opentelemetry.js'),
  xray: () => import('./xray.js'),
};

/** Loads the agent before the packages that it traces, as agents require, and prints the spans that it has sent. */
async function main([name = '', endpoint = '', tableName = '', ...requests]: readonly string[]): Promise<void> {
  const load = AGENTS[name];
  if (load === undefined) throw new Error(`no such agent: ${name}`);
  const { agent } = await load();
  const { sendTraced } = await import('./sends.js');
  await sendTraced(agent, endpoint, tableName, requests);
  const sent = JSON.stringify(await agent.sent());
  process.stdout.write(sent, () => process.exit());
}

void main(process.argv.slice(2));
