/**
 * Verification finds changes that were made to the records of each of the three stores without their ports.
 */
import { DeleteCommand, DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll } from 'vitest'
import { dynamoClient } from '../../../../adapters/dynamodb/client/client.ts'
import { dynamoAuditTrail } from '../../../../adapters/dynamodb/evidence/audit-trail.ts'
import { auditHeadKey, auditRecordKey } from '../../../../adapters/dynamodb/table.ts'
import { memoryAuditTrail } from '../../../../adapters/memory/audit-trail.ts'
import { type Database, ONLY, openDatabase } from '../../../../adapters/memory/database.ts'
import type { Database as Sqlite } from '../../../../adapters/sqlite/database/database.ts'
import { openMemoryDatabase } from '../../../../adapters/sqlite/database/open-database.ts'
import { sqliteAuditTrail } from '../../../../adapters/sqlite/evidence/audit-trail.ts'
import { TABLES, useEmbeddedStore } from '../../../adapters/dynamodb/embedded-store.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { describeTampering, type Tampering } from './tampered-trail.ts'

const { endpoint, store } = await useEmbeddedStore(testClock())
// Not the store's client, whose document client reads numbers in its own way.
const other = dynamoClient({ endpoint })
afterAll(() => other.destroy())

describeTampering('memory', async (clock) => {
  const database = openDatabase()
  return { auditTrail: memoryAuditTrail(database, clock), ...inMemory(database) }
})

describeTampering('sqlite', async (clock) => {
  const database = openMemoryDatabase()
  return { auditTrail: sqliteAuditTrail(database, clock), ...inSqlite(database) }
})

describeTampering('dynamodb', async () => ({
  auditTrail: dynamoAuditTrail(store),
  ...inDynamo(DynamoDBDocumentClient.from(other)),
}))

function inMemory({ auditHeads, auditRecords }: Database): Tampering {
  const sortOf = (intent: number) => `${String(intent).padStart(12, '0')}#intent`
  return {
    remove: async (day, intent) => auditRecords.remove(day, sortOf(intent)),
    rewrite: async (day, intent, { hash, text }) => {
      const record = auditRecords.get(day, sortOf(intent))
      if (record === undefined) throw new Error(`no record ${intent}`)
      const after = { ...record, text, hash: hash ?? record.hash }
      auditRecords.put(day, sortOf(intent), after)
    },
    moveHead: async (day, count, hash) => auditHeads.put(day, ONLY, { day, count, hash }),
    removeHead: async (day) => auditHeads.remove(day, ONLY),
  }
}

function inSqlite(database: Sqlite): Tampering {
  const run = async (sql: string, ...values: readonly (string | number | null)[]) =>
    void database.prepare(sql).run(...values)
  return {
    remove: (day, intent) =>
      run('DELETE FROM audit_records WHERE day = ? AND intent = ?', day, intent),
    rewrite: (day, intent, { hash, text }) =>
      run(
        'UPDATE audit_records SET text = ?, hash = coalesce(?, hash) WHERE day = ? AND intent = ?',
        ...[text, hash ?? null, day, intent],
      ),
    moveHead: (day, count, hash) =>
      run('UPDATE audit_heads SET count = ?, hash = ? WHERE day = ?', count, hash, day),
    removeHead: (day) => run('DELETE FROM audit_heads WHERE day = ?', day),
  }
}

function inDynamo(documents: DynamoDBDocumentClient): Tampering {
  const TableName = TABLES.gateway
  const remove = async (key: object) =>
    void (await documents.send(new DeleteCommand({ TableName, Key: { ...key } })))
  const set = async (key: object, values: { readonly [name: string]: unknown }) => {
    const names = Object.keys(values)
    const update = new UpdateCommand({
      TableName,
      Key: { ...key },
      UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join()}`,
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(
        names.map((name) => [`:${name}`, values[name]]),
      ),
    })
    await documents.send(update)
  }
  return {
    remove: (day, intent) => remove(auditRecordKey(day, intent, 'intent')),
    rewrite: (day, intent, { hash, text }) =>
      set(auditRecordKey(day, intent, 'intent'), { text, ...(hash === undefined ? {} : { hash }) }),
    moveHead: (day, count, hash) => set(auditHeadKey(day), { count, hash }),
    removeHead: (day) => remove(auditHeadKey(day)),
  }
}
