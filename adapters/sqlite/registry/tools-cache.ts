/**
 * The port ToolsCache: parts under a version of their own, and a head that names the version that counts.
 *
 *   A: parts(a) ── head still v? → a ✔               then: parts(v) deleted
 *   B:      parts(b) ── head still v? no ✘           then: parts(b) deleted, answers undefined
 *
 * Readers see the old list whole, or the new one whole. A process that dies before the head changes
 * leaves parts that nobody names: the first write an hour later removes them.
 */
import { randomBytes } from 'node:crypto'
import { Fault } from '../../../core/errors.ts'
import type { Clock, ToolsCache } from '../../../core/ports.ts'
import type { Tool } from '../../../core/skills/skill.ts'
import type { Database } from '../database/database.ts'
import { textAt } from '../database/row.ts'
import { type Head, toolListRows } from './tool-list-rows.ts'
import { readParts, writeParts } from './tool-parts.ts'
import { toolDrafts } from './tools-draft.ts'

type List = { readonly version: string; readonly tools: readonly Tool[] }

export function sqliteToolsCache(database: Database, clock: Pick<Clock, 'nowMs'>): ToolsCache {
  const rows = toolListRows(database)
  const drafts = toolDrafts(database, clock)
  let cached: List | undefined

  const listOf = async (head: Head): Promise<List | undefined> => {
    const { version } = head
    if (cached?.version !== version) {
      const tools = await readParts(head.parts, (part) => rows.readPart(version, part))
      if (tools === undefined) return undefined
      cached = { version, tools }
    }
    return { version: versionOf(head), tools: cached.tools }
  }
  const readHead = () => database.read(rows.head)
  return {
    async read() {
      const head = await readHead()
      const list = head === undefined ? undefined : await listOf(head)
      if (head === undefined || list !== undefined) return list
      // The parts went while we read: another version took over, and the head says which.
      const second = await readHead()
      if (second === undefined) return undefined
      const again = await listOf(second)
      if (again === undefined) throw new Fault('internal', 'tools cache: its parts are missing')
      return again
    },
    async write(tools, ifVersion) {
      const nowMs = clock.nowMs()
      const version = `${nowMs}-${randomBytes(6).toString('hex')}`
      const parts = await writeParts(tools, (part, json) =>
        rows.putPart({ version, part, json, madeAtMs: nowMs }),
      )
      const flipped = await database.writeDurably(() => {
        const head = rows.head()
        if ((head === undefined ? undefined : versionOf(head)) !== ifVersion) return false
        rows.putHead({ version, renewed: 0, parts })
        return true
      })
      await rows.removeParts(flipped ? ifVersion?.split('+')[0] : version, nowMs)
      return flipped ? version : undefined
    },
    renew: (ifVersion) =>
      database.writeDurably(() => {
        const head = rows.head()
        if (head === undefined || versionOf(head) !== ifVersion) return false
        rows.putHead({ ...head, renewed: head.renewed + 1 })
        return true
      }),
    async drop() {
      const dropped = await database.writeDurably(rows.removeHead)
      if (dropped !== undefined) await rows.removeParts(textAt(dropped, 'version'), clock.nowMs())
    },
    ...drafts,
  }
}

/** As callers know it: the version that names the parts, and how often it was renewed. */
function versionOf({ renewed, version }: Head): string {
  return renewed === 0 ? version : `${version}+${renewed}`
}
