/** The ports beside the store, as the flows of these worlds need them: pure, or silent. */

import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { makeSchemasWithPatterns } from '../../adapters/formats/json-schema.ts'
import { makeSkillMarkdown } from '../../adapters/formats/skill-markdown.ts'
import { makeHooks } from '../../adapters/hooks/registry.ts'
import type { Log, Seals } from '../../core/ports/outside.ts'
import type { Process } from './world.ts'

const SILENT: Log = { call: () => {}, note: () => {} }
const [BYTES, TEXT] = [new TextEncoder(), new TextDecoder()]
/** Nothing here looks into what is sealed. */
const OPEN_SEALS: Seals = {
  seal: (_session, _purpose, text) => BYTES.encode(text),
  open: (_session, _purpose, sealed) => TEXT.decode(sealed),
}
const [SCHEMAS, MARKDOWN, DIGESTS] = [makeSchemasWithPatterns(), makeSkillMarkdown(), nodeDigests()]

export function flowPorts({ clock, ids, ports }: Process) {
  return {
    ...ports,
    clock,
    log: SILENT,
    seals: OPEN_SEALS,
    schemas: SCHEMAS,
    skillMarkdown: MARKDOWN,
    digests: DIGESTS,
    ids,
    // No job of an upstream runs in these worlds.
    jobVisits: { visit: async () => ({ kind: 'none' }) as const },
    hooks: makeHooks({ clock, outboundAllow: [] }),
  }
}
