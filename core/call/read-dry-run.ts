/** Parses what our admin function asks of execute: the order of a dry run. */
import { ok, type Result, refuse } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { SKILL_ORIGINS, type SkillRecord, type SkillSource } from '../skills/skill.ts'
import type { DryRunOrder } from './dry-run.ts'

/** Both sides are ours but may come from two deployments, so the shape is checked. */
export function readDryRunOrder(body: Json): Result<DryRunOrder> {
  if (!isJsonObject(body)) return MALFORMED
  const { arguments: args, record: sent, send, uid } = body
  const record = isJsonObject(sent) ? readRecord(sent) : undefined
  if (record === undefined || !isJsonObject(args)) return MALFORMED
  if (uid !== undefined && typeof uid !== 'string') return MALFORMED
  return ok({ record, uid, arguments: args, send: send === true })
}

const MALFORMED = refuse('malformed', 'body: must be a request for a dry run.')

function readRecord(sent: JsonObject): SkillRecord | undefined {
  const { by, createdAtMs, definition, skillId, source, toolName, uid, updatedAtMs, version } = sent
  const origin = SKILL_ORIGINS.find((one) => one === sent['origin'])
  if (typeof by !== 'string' || origin === undefined) return undefined
  if (typeof skillId !== 'string' || typeof toolName !== 'string' || !isSource(source))
    return undefined
  if (!isJsonObject(definition) || typeof version !== 'number') return undefined
  if (typeof createdAtMs !== 'number' || typeof updatedAtMs !== 'number') return undefined
  if (uid !== undefined && typeof uid !== 'string') return undefined
  const made = { createdAtMs, updatedAtMs, version, by, origin }
  return { skillId, source, uid, toolName, definition, ...made }
}

function isSource(value: Json | undefined): value is SkillSource {
  return value === 'private' || value === 'official' || value === 'market'
}
