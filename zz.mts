import { runScenario } from './test/interleavings/scenario.ts'
import { runCalls } from './test/interleavings/scenarios/calls.ts'
import { NO_PLANT } from './test/interleavings/plant.ts'
const [name, seed, count] = [process.argv[2]!, Number(process.argv[3]), Number(process.argv[4] ?? 1)]
const scenario = name === 'calls' ? undefined : (await import(`./test/interleavings/scenarios/${name}.ts`))[name]
const run = (s: number, t = false) => scenario === undefined ? runCalls(s, NO_PLANT, t) : runScenario(scenario, s, NO_PLANT, t)
await run(1)
const c0 = process.cpuUsage()
let lines = 0
const happened: Record<string, number> = {}
for (let s = seed; s < seed + count; s++) {
  const r = await run(s, count === 1)
  for (const h of r.happened) happened[h] = (happened[h] ?? 0) + 1
  if (r.violations.length > 0) { console.log(s, r.violations); const again = await run(s, true); console.log(again.trace.join('\n')); break }
  if (count === 1) console.log(r.trace.join('\n'))
}
const c = process.cpuUsage(c0)
console.log('cpu ms each', (c.user + c.system) / 1000 / count, happened)
