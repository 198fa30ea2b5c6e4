/** The parts of a call before its answer, as loops: mapping, target checks, time limit. */
import { checkedLookup } from '../../adapters/upstream/checked-address.ts'
import { isPublicAddress } from '../../adapters/upstream/public-address.ts'
import { checkTarget } from '../../core/call/check-target.ts'
import { secretNamesOf } from '../../core/call/draft-names.ts'
import { draftRequest } from '../../core/call/draft-request.ts'
import { nextRequest } from '../../core/call/redirect.ts'
import { toResult } from '../../core/call/to-result.ts'
import type { UpstreamRequest } from '../../core/call/upstream.ts'
import { circuitBreakers } from '../../core/flow/execute/circuit-breakers.ts'
import { runWithDeadline } from '../../core/flow/execute/run-with-deadline.ts'
import type { JsonObject } from '../../core/json/json.ts'
import { importTools } from '../../core/openapi/import-tools.ts'
import type { Skill } from '../../core/skills/skill.ts'
import { API_KEY, benchSkills, definition } from '../lib/bench-skills.ts'
import type { Part } from './loop.ts'
import { callPorts, ENDPOINT_ORIGIN, skillOf } from './ports.ts'

const URL_TEXT = `${ENDPOINT_ORIGIN}/weather?city=Lima`
const RULES = { outboundAllow: [] }
const SECRETS = new Map([['API_KEY', API_KEY]])
const NO_SECRETS = new Map<string, string>()
const LIMA = { city: 'Lima' }

export function requestParts(): readonly Part[] {
  const [plain, templates, secret] = benchSkills(ENDPOINT_ORIGIN).map((one) => ({
    skill: skillOf(one.definition),
    args: one.arguments,
  }))
  if (plain === undefined || templates === undefined || secret === undefined) throw new Error()
  const post = skillOf(postDefinition())
  return [
    mapping('mapping: one argument in the query', plain.skill, LIMA),
    mapping('mapping: one argument, a secret in a header', secret.skill, LIMA),
    mapping('mapping: templates in path, headers, query, body', templates.skill, templates.args),
    mapping('mapping: 1 kB of arguments as JSON body', post, { text: 'x'.repeat(1_000) }),
    { name: 'which secrets a skill names (none)', run: () => secretNamesOf(plain.skill) },
    ...importedParts(),
    ...outboundParts(),
    ...guardParts(plain.skill),
  ]
}

/** The same request from a skill as a person writes it, and from one as an import makes it. */
function importedParts(): readonly Part[] {
  const args = { petId: 'p-1', fields: ['name', 'kind'], verbose: true }
  const tools = importTools(IMPORTED_DOCUMENT, {
    ...{ gatewayPrefix: 'sg', prefix: 'pets', source: 'official', selection: {} },
    ...{ defaults: { credits: 1 }, baseUrl: undefined, serverVariables: undefined },
    ...{ outputSchemas: true, hash: (text) => text, judge: NO_JUDGE, secretOwners: new Map() },
  })
  const imported = tools.ok ? tools.value.tools[0]?.definition : undefined
  if (imported === undefined) throw new Error('the document was not imported')
  const config = {
    endpoint: `${ENDPOINT_ORIGIN}/pets/{petId}`,
    method: 'GET',
    query: { fields: '{{args.fields}}', verbose: '{{args.verbose}}' },
  }
  const properties = { petId: { type: 'string' }, fields: { type: 'array' }, verbose: {} }
  return [
    mapping(
      'mapping: path and query, by hand',
      skillOf(definition('pet', config, properties)),
      args,
    ),
    mapping('mapping: path and query, imported', skillOf(imported), args),
  ]
}

const NO_JUDGE = { input: () => [], output: () => [], config: () => undefined }
const IMPORTED_DOCUMENT: JsonObject = {
  openapi: '3.1.0',
  servers: [{ url: ENDPOINT_ORIGIN }],
  paths: {
    '/pets/{petId}': {
      get: {
        operationId: 'pet',
        parameters: [
          { name: 'petId', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'fields', in: 'query', explode: false, schema: { type: 'array', items: {} } },
          { name: 'verbose', in: 'query', schema: { type: 'boolean' } },
        ],
        responses: { 200: { description: 'A pet.' } },
      },
    },
  },
}

function mapping(name: string, skill: Skill, args: JsonObject): Part {
  return { name, run: () => requestOf(skill, args) }
}

function requestOf(skill: Skill, args: JsonObject): UpstreamRequest {
  const draft = draftRequest(skill, args)
  const request = draft.ok ? draft.value.complete(SECRETS) : draft
  if (!request.ok) throw new Error('the mapping refused')
  return request.value
}

function postDefinition(): JsonObject {
  const config = { endpoint: `${ENDPOINT_ORIGIN}/notes`, method: 'POST' }
  return definition('post', config, { text: { type: 'string' } })
}

function outboundParts(): readonly Part[] {
  const addresses = [
    { address: '93.184.216.34', family: 4 },
    { address: '2606:2800:21f:cb07:6820:80da:af6b:8b2c', family: 6 },
  ]
  const lookup = checkedLookup((_host, done) => done(null, addresses), isPublicAddress)
  const request: UpstreamRequest = { method: 'GET', url: URL_TEXT, headers: {}, body: undefined }
  const moved = { status: 302, locations: ['/elsewhere?city=Lima'] }
  return [
    { name: 'outbound: a URL judged', run: () => checkTarget(URL_TEXT, RULES) },
    {
      name: 'outbound: a name’s two addresses judged (new connection)',
      run: () => lookup('api.example.com', { all: true }, (cause) => throwIf(cause)),
    },
    { name: 'outbound: a redirect judged', run: () => nextRequest(request, moved, RULES) },
  ]
}

function throwIf(cause: Error | null): void {
  if (cause !== null) throw cause
}

function guardParts(skill: Skill): readonly Part[] {
  const ports = callPorts()
  const draft = draftRequest(skill, LIMA)
  if (!draft.ok) throw new Error(draft.error.detail)
  const nowMs = ports.clock.nowMs()
  const principal = { uid: 'bench', keyHash: 'bench', username: 'bench' }
  const call = {
    callId: 'bench',
    principal,
    profile: { ...principal, tier: 'free', credits: 0, holds: {}, createdAtMs: 0, ...UNCHANGED },
    record: { ...skill, uid: undefined, toolName: skill.skillId, definition: {}, ...STORED },
    skill,
    draft: draft.value,
    args: LIMA,
    secrets: undefined,
    startedAtMs: nowMs,
    deadlineMs: nowMs + LONG_MS,
  }
  const gone = new AbortController().signal
  const body = { skill: skill.skillId, arguments: LIMA }
  const request = { authorization: '', body, terms: undefined, idempotencyKey: undefined, gone }
  const breakers = circuitBreakers()
  const limits = { responseBytesMax: skill.responseBytesMax, signal: gone, uid: 'ada' }
  const unguarded = async () => {
    const completed = draft.value.complete(NO_SECRETS)
    const sent = completed.ok ? await ports.upstream.send(completed.value, limits) : undefined
    return sent?.kind === 'answered' ? toResult(sent.response, skill) : undefined
  }
  return [
    {
      name: 'guard, watch, breaker, retries (upstream answers at once)',
      run: () => runWithDeadline(ports, breakers, call, request),
      less: unguarded,
    },
    {
      name: 'of that the breaker',
      run: () => {
        const entered = breakers.enter({ origin: ENDPOINT_ORIGIN, uid: 'ada' }, Date.now())
        if (entered.allowed) entered.done(Date.now(), 'works')
      },
    },
  ]
}

const UNCHANGED = { skillsChangedAtMs: 0 }
const STORED = { createdAtMs: 0, updatedAtMs: 0, version: 1 }
/** Longer than the loops run, so that the time limit never fires. */
const LONG_MS = 3_600_000
