/**
 * A process without network and without the right to read any file but this repository's own, started by no-network.test.ts:
 * plans documents that try to reach something, and prints what was tried.
 */
import { createRequire } from 'node:module'
import { planImport } from '../../core/flow/imports/plan-import.ts'
import { makeWorld } from '../core/flow/world.ts'

const require = createRequire(import.meta.url)
const tried: string[] = []
let isWatched = false

/** Every way out of the process notes its use and throws. */
function lock(module: string, names: readonly string[]): void {
  const target = require(module)
  for (const name of names) {
    const real = target[name]
    target[name] = (...given: unknown[]) => {
      if (!isWatched) return Reflect.apply(real, target, given)
      tried.push(`${module}.${name}`)
      throw new Error(`${module}.${name} was called`)
    }
  }
}

const { url, port } = JSON.parse(process.argv[2] ?? '{}')
const SCHEMAS = { Here: { type: 'string' } }
const document = (schema: object) => ({
  openapi: '3.1.0',
  servers: [{ url: 'https://api.example' }],
  paths: {
    '/a': {
      post: {
        operationId: 'a',
        externalDocs: { url },
        requestBody: { content: { 'application/json': { schema } } },
      },
    },
  },
  components: { schemas: SCHEMAS },
})
const YAML = `openapi: 3.1.0\nservers: [{url: 'https://api.example'}]\npaths: {/a: {get: {operationId: a}}}\n`
const documents: readonly (object | string)[] = [
  document({ $ref: '#/components/schemas/Here' }),
  document({ $ref: url }),
  document({ $ref: 'file:///etc/hostname' }),
  document({ $ref: '../../package.json' }),
  document({ $schema: url, $id: url, type: 'object', properties: { a: { type: 'string' } } }),
  JSON.stringify(document({ $ref: `http://127.0.0.1:${port}/schema.json#/a` })),
  YAML,
  `${YAML}components: {schemas: {A: {$ref: '${url}'}}}\n`,
  `${YAML}x: !include /etc/hostname\n`,
  { swagger: '2.0', host: `127.0.0.1:${port}`, paths: { '/a': { get: { operationId: 'a' } } } },
]

const { ports, settings } = makeWorld()
const plan = async (one: object | string) => {
  const request = { prefix: 'p', defaults: { credits: 1 }, document: one as string }
  const planned = await planImport(ports, settings, request)
  return planned.ok ? 'planned' : planned.error.code
}
// Libraries are loaded by the first documents; nothing is read after that.
await plan(YAML)
await plan({ swagger: '2.0', paths: {} })
lock('node:net', ['connect', 'createConnection'])
lock('node:tls', ['connect'])
lock('node:dns', ['lookup', 'resolve'])
lock('node:http', ['request', 'get'])
lock('node:https', ['request', 'get'])
lock('node:child_process', ['spawn', 'exec', 'execFile', 'fork'])
lock('node:fs', ['readFile', 'readFileSync', 'open', 'openSync', 'createReadStream', 'statSync'])
const realFetch = globalThis.fetch
globalThis.fetch = (...given) => {
  tried.push('fetch')
  return realFetch(...given)
}
isWatched = true
const outcomes: string[] = []
for (const one of documents) outcomes.push(await plan(one))
isWatched = false
process.stdout.write(JSON.stringify({ outcomes, tried }))
