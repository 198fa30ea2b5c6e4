/**
 * Verification finds changes that were made to the records of each store without their ports.
 */
import { afterAll } from 'vitest'
import { dynamoAuditTrail } from '../../../../adapters/dynamodb/audit/audit-trail.ts'
import { dynamoClient } from '../../../../adapters/dynamodb/client/client.ts'
import { sdkRequests } from '../../../../adapters/dynamodb/client/sdk-store.ts'
import type { StoreRequests } from '../../../../adapters/dynamodb/client/store-requests.ts'
import { openLocalStore } from '../../../../adapters/dynamodb/local-store.ts'
import { auditHeadKey, auditRecordKey, type Key } from '../../../../adapters/dynamodb/table.ts'
import { TABLES, useEmbeddedStore } from '../../../adapters/dynamodb/embedded-store.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { describeTampering, type Tampering } from './tampered-trail.ts'

const { endpoint, store } = await useEmbeddedStore(testClock())
// Not the store's client, whose document client reads numbers in its own way.
const other = dynamoClient({ endpoint })
afterAll(() => other.destroy())

describeTampering('items', async (clock) => {
  const { ports, requests } = openLocalStore({ clock })
  return { auditTrail: ports.auditTrail, ...withRequests(requests) }
})

describeTampering('dynamodb', async () => ({
  auditTrail: dynamoAuditTrail(store),
  ...withRequests(sdkRequests(other)),
}))

function withRequests(requests: StoreRequests): Tampering {
  const TableName = TABLES.gateway
  const remove = async (key: Key) =>
    void (await requests.send('DeleteItem', { TableName, Key: { ...key } }))
  const set = async (key: Key, values: { readonly [name: string]: unknown }) => {
    const names = Object.keys(values)
    await requests.send('UpdateItem', {
      TableName,
      Key: { ...key },
      UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join()}`,
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(
        names.map((name) => [`:${name}`, values[name]]),
      ),
    })
  }
  return {
    remove: (day, intent) => remove(auditRecordKey(day, intent, 'intent')),
    rewrite: (day, intent, { hash, text }) =>
      set(auditRecordKey(day, intent, 'intent'), { text, ...(hash === undefined ? {} : { hash }) }),
    moveHead: (day, count, hash) => set(auditHeadKey(day), { count, hash }),
    removeHead: (day) => remove(auditHeadKey(day)),
  }
}
