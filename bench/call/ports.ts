/**
 * The ports of a call, in this process: memory adapters, the real clock, and an upstream that
 * answers the same bytes at once. For loops over parts of a call, without a network.
 */
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { nodeSeals } from '../../adapters/crypto/node-seals.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { openLocalStore } from '../../adapters/dynamodb/local-store.ts'
import { schemas } from '../../adapters/formats/json-schema.ts'
import { skillMarkdown } from '../../adapters/formats/skill-markdown.ts'
import { hooks } from '../../adapters/hooks/registry.ts'
import { rawSecretSeals } from '../../adapters/kms/raw-seals.ts'
import type { UpstreamAnswer } from '../../core/call/upstream.ts'
import type { ExecuteNeeds } from '../../core/flow/execute/execute-request.ts'
import type { JsonObject } from '../../core/json/json.ts'
import type { Log, Ports } from '../../core/ports.ts'
import { readSkill } from '../../core/skills/read-skill.ts'
import type { Skill } from '../../core/skills/skill.ts'
import { ensured } from '../lib/agent.ts'

/** No server is behind it: the upstream of these ports sends nothing. */
export const ENDPOINT_ORIGIN = 'https://api.example.com'

const ANSWER: UpstreamAnswer = {
  kind: 'answered',
  response: {
    status: 200,
    mediaType: 'application/json',
    charset: 'utf-8',
    body: new TextEncoder().encode('{"city":"Lima","weather":"sunny","celsius":21}'),
  },
}

const STRICT_LOG: Log = {
  call: () => {},
  note: (level, event, _fields, cause) => {
    if (level !== 'info') throw new Error(`unexpected: ${event}`, { cause })
  },
}

const KEY = new Uint8Array(32)

export function callPorts(): ExecuteNeeds & Pick<Ports, 'skillMarkdown'> {
  const clock = systemClock()
  return {
    ...openLocalStore({ clock }).ports,
    clock,
    digests: nodeDigests(),
    hooks: hooks({ clock, outboundAllow: [] }),
    ids: nodeIds(),
    log: STRICT_LOG,
    schemas: schemas(),
    seals: nodeSeals(),
    secretSeals: rawSecretSeals(() => KEY),
    skillMarkdown: skillMarkdown(),
    upstream: { send: async () => ANSWER },
  }
}

export function skillOf(definition: JsonObject): Skill {
  return ensured(readSkill(definition, { prefix: 'sg' })).skill
}
