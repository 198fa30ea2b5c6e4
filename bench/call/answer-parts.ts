/** The parts of a call after the upstream's answer, as loops: result mapping and masking. */
import { type Mask, maskOf, NO_MASK } from '../../core/call/mask.ts'
import { toResult } from '../../core/call/to-result.ts'
import type { UpstreamResponse } from '../../core/call/upstream.ts'
import type { Skill } from '../../core/skills/skill.ts'
import { API_KEY } from '../lib/bench-skills.ts'
import type { Part } from './loop.ts'

const KB = 1_000
const LARGE = 100 * KB
/** Repeats of parts that take 0.1 ms or more. */
const TIMES_LARGE = 200

type Reading = Pick<Skill, 'method' | 'responseAs' | 'responsePick'>
const AUTO: Reading = { method: 'GET', responseAs: 'auto', responsePick: undefined }
const PICK: Reading = { ...AUTO, responseAs: 'json', responsePick: '/rows/3/name' }

export function answerParts(): readonly Part[] {
  const [small, large, image] = [jsonAnswer(KB), jsonAnswer(LARGE), imageAnswer(LARGE)]
  const secrets = [['API_KEY', API_KEY]] as const
  const mask = maskOf(secrets)
  return [
    mapped('answer: JSON of 1 kB', small),
    mapped('answer: JSON of 1 kB, one value picked', small, PICK),
    { ...mapped('answer: JSON of 100 kB', large), times: TIMES_LARGE },
    { ...mapped('answer: image of 100 kB', image), times: TIMES_LARGE },
    { name: 'masking: all spellings of one secret', run: () => maskOf(secrets) },
    masked('masking: JSON of 1 kB', small, mask),
    { ...masked('masking: JSON of 100 kB', large, mask), times: TIMES_LARGE },
    { ...masked('masking: image of 100 kB', image, mask), times: TIMES_LARGE },
  ]
}

function mapped(name: string, response: UpstreamResponse, reading = AUTO): Part {
  return { name, run: () => resultOf(response, reading, NO_MASK) }
}

/** The answer contains no secret, which is the common case. */
function masked(name: string, response: UpstreamResponse, mask: Mask): Part {
  return {
    name,
    run: () => resultOf(response, AUTO, mask),
    less: () => resultOf(response, AUTO, NO_MASK),
  }
}

function resultOf(response: UpstreamResponse, reading: Reading, mask: Mask): unknown {
  const made = toResult(response, reading, mask)
  if (!made.ok) throw new Error(JSON.stringify(made.error))
  return made.value
}

function jsonAnswer(bytes: number): UpstreamResponse {
  const rows: object[] = []
  const row = { name: 'Weather station', open: true, at: [47.5, 19.05], tags: ['a', 'b'] }
  for (let id = 0; JSON.stringify({ rows }).length < bytes; id += 1) rows.push({ id, ...row })
  return answerOf('application/json', new TextEncoder().encode(JSON.stringify({ rows })))
}

function imageAnswer(bytes: number): UpstreamResponse {
  return answerOf(
    'image/png',
    Uint8Array.from({ length: bytes }, (_, at) => (at * 31) % 256),
  )
}

function answerOf(mediaType: string, body: Uint8Array): UpstreamResponse {
  return { status: 200, mediaType, charset: 'utf-8', body }
}
