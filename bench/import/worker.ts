/** Makes one measurement of import.ts in a process of its own: `plan FILE`, or `apply COUNT`. */
import { existsSync, readFileSync } from 'node:fs'
import { makeOpenApiDocuments } from '../../adapters/formats/openapi-text.ts'
import { applyImport } from '../../core/flow/imports/apply-import.ts'
import { planImport } from '../../core/flow/imports/plan-import.ts'
import { makeWorld, okOf } from '../../test/core/flow/world.ts'
import { planDocument } from '../../test/openapi/plan-document.ts'

const PARAMETERS = [
  { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
  { name: 'verbose', in: 'query', schema: { type: 'boolean' } },
]
const [mode = '', of = ''] = process.argv.slice(2)
console.log(
  JSON.stringify(mode === 'plan' ? await measurePlan(of) : await measureApply(Number(of))),
)

async function measurePlan(file: string) {
  if (!existsSync(file))
    throw new Error(`${file} is missing: npm run test:openapi installs the documents`)
  const text = readFileSync(file, 'utf8')
  const startedAt = process.threadCpuUsage()
  const planned = await planDocument(text)
  const cpuMs = readThreadMs(startedAt)
  if (planned.kind === 'refused') throw new Error(planned.detail)
  return { tools: planned.plan.skills.length, ms: planned.ms, cpuMs, mb: readPeakMb(), lists: 0 }
}

async function measureApply(count: number) {
  // Loaded here, so that the memory of a plan does not include that of a store.
  const { openFileWorld } = await import('../registry/world.ts')
  const world = openFileWorld()
  const base = makeWorld()
  let lists = 0
  const { toolsCache } = world.ports
  const ports = {
    ...base.ports,
    ...world.ports,
    openApiDocuments: makeOpenApiDocuments(),
    toolsCache: {
      ...toolsCache,
      write: (...args: Parameters<typeof toolsCache.write>) => {
        lists += 1
        return toolsCache.write(...args)
      },
    },
  }
  const paths = Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `/things/${n}/{id}`,
      { get: { operationId: `show_${n}`, summary: `Show thing ${n}`, parameters: PARAMETERS } },
    ]),
  )
  const document = { openapi: '3.1.0', servers: [{ url: 'https://things.example' }], paths }
  const request = { prefix: 'things', defaults: { credits: 1 }, document, selection: { all: true } }
  okOf(await planImport(ports, base.settings, request))
  const startedAtMs = performance.now()
  const startedAt = process.threadCpuUsage()
  const tools = okOf(await applyImport(ports, base.settings, request)).plan.skills.length
  const ms = performance.now() - startedAtMs
  const cpuMs = readThreadMs(startedAt)
  await world.stop()
  return { tools, ms, cpuMs, mb: readPeakMb(), lists }
}

/**
 * Returns the CPU time of this thread alone: the time of a plan on a core of its own, on any
 * machine.
 */
function readThreadMs(startedAt: NodeJS.CpuUsage): number {
  const { system, user } = process.threadCpuUsage(startedAt)
  return (system + user) / 1_000
}

function readPeakMb(): number {
  return process.resourceUsage().maxRSS / 1_024
}
