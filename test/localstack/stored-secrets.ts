/**
 * Users' secrets in the hands of someone who may read and write the deployed Gateway table (no role
 * of the gateway may do both): reading all of it, and moving one user's record under another's key.
 */
import { type AttributeValue, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import { secretsKey } from '../../adapters/dynamodb/table.ts'
import type { Deployment } from './deployment.ts'

type Item = Record<string, AttributeValue>

/** A table of the suite has some hundred items of a few kB. */
const PAGES_MAX = 50

/** Name and sealed value of each secret that all skills may use. */
export async function sealedOf(
  deployed: Deployment,
  uid: string,
): Promise<readonly (readonly [name: string, sealed: Buffer])[]> {
  const { sealed } = await recordOf(deployed, uid)
  return Object.entries(sealed?.M ?? {}).map(([name, { B }]) => [name, Buffer.from(B ?? [])])
}

export async function moveSecrets(
  deployed: Deployment,
  users: { readonly from: string; readonly to: string },
): Promise<void> {
  const record = await recordOf(deployed, users.from)
  const { pk, sk } = secretsKey(users.to, undefined)
  const client = dynamoClient({})
  const Item = { ...record, pk: { S: pk }, sk: { S: sk } }
  await client.send(new PutItemCommand({ TableName: deployed.outputs.gatewayTable, Item }))
  client.destroy()
}

/** The keys of all items that contain the text anywhere, unchanged or in base64. */
export async function itemsHolding(deployed: Deployment, text: string): Promise<readonly string[]> {
  // Without the last group of three bytes, which depends on the following text.
  const base64 = Buffer.from(text).toString('base64').slice(0, -4)
  const items = await allItems(deployed)
  const holding = items.filter((item) =>
    textsIn(item).some((one) => one.includes(text) || one.includes(base64)),
  )
  return holding.map(({ pk, sk }) => `${pk?.S}/${sk?.S}`)
}

async function recordOf(deployed: Deployment, uid: string): Promise<Item> {
  const key = secretsKey(uid, undefined)
  const items = await allItems(deployed)
  const found = items.find(({ pk, sk }) => pk?.S === key.pk && sk?.S === key.sk)
  if (found === undefined) throw new Error(`${uid} has no secrets for all skills`)
  return found
}

async function allItems({ outputs }: Deployment): Promise<readonly Item[]> {
  const client = dynamoClient({})
  const items: Item[] = []
  let from: Item | undefined
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const asked = { TableName: outputs.gatewayTable, ConsistentRead: true }
    const answer = await client.send(new ScanCommand({ ...asked, ExclusiveStartKey: from }))
    items.push(...(answer.Items ?? []))
    from = answer.LastEvaluatedKey
    if (from === undefined) break
  }
  client.destroy()
  return items
}

/** Each name, text and run of bytes in it, however deep. */
function textsIn(value: unknown): readonly string[] {
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('latin1')]
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)])
}
