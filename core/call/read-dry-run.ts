/** Parses what our admin function asks of execute: the order of a dry run. */
import { ok, type Result, refuse } from '../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import type { CallableRecord, SkillSource } from '../skills/skill.ts'
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

function readRecord(sent: JsonObject): CallableRecord | undefined {
  const { createdAtMs, definition, skillId, source, toolName, uid, updatedAtMs, version } = sent
  if (typeof skillId !== 'string' || typeof toolName !== 'string' || !isSource(source))
    return undefined
  if (!isJsonObject(definition) || typeof version !== 'number') return undefined
  if (typeof createdAtMs !== 'number' || typeof updatedAtMs !== 'number') return undefined
  if (uid !== undefined && typeof uid !== 'string') return undefined
  return { skillId, source, uid, toolName, definition, createdAtMs, updatedAtMs, version }
}

function isSource(value: Json | undefined): value is SkillSource {
  return value === 'private' || value === 'official' || value === 'market'
}
