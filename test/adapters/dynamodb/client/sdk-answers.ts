/** Errors and items in the form of the SDK, for tests that mock it. */
import {
  type AttributeValue,
  type CancellationReason,
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb'
import { NumberValue } from '@aws-sdk/lib-dynamodb'
import type { Item } from '../../../../adapters/dynamodb/client/item.ts'

const META = { message: 'no', $metadata: {} }

export function named(name: string): Error {
  return Object.assign(new Error('no'), { name })
}

/** The item comes in wire form, as beside a refused condition. */
export function refusedBy(Item: Record<string, AttributeValue> | undefined): Error {
  return new ConditionalCheckFailedException({ ...META, ...(Item === undefined ? {} : { Item }) })
}

export function conflict(): Error {
  return new TransactionConflictException(META)
}

/** One reason per write of the transaction. */
export function canceled(...codes: string[]): Error {
  return canceledWith(codes.map((Code) => ({ Code })))
}

export function canceledWith(CancellationReasons: CancellationReason[]): Error {
  return new TransactionCanceledException({ ...META, CancellationReasons })
}

/** An item in the form of reads: numbers are exact decimals. */
export function stored(item: Item): Record<string, unknown> {
  const present = Object.entries(item).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    present.map(([name, value]) => [
      name,
      typeof value === 'number' ? NumberValue.from(value) : value,
    ]),
  )
}

/** profile:u1 with 99.5 credits and a hold of 0.5 for call c1. */
export function profileWire(writeToken: string): Record<string, AttributeValue> {
  const hold = {
    amount: { N: '0.5' },
    heldAtMs: { N: '2000000000000' },
    writeToken: { S: writeToken },
    skillId: { S: 'sg_weather' },
    source: { S: 'official' },
  }
  return {
    pk: { S: 'profile:u1' },
    sk: { S: '-' },
    uid: { S: 'u1' },
    username: { S: 'ada' },
    tier: { S: 'free' },
    credits: { N: '99.5' },
    holds: { M: { c1: { M: hold } } },
    placed: { N: '1' },
    placements: { M: { c1: { N: '1' } } },
    deadlines: { M: {} },
    createdAtMs: { N: '1' },
    skillsChangedAtMs: { N: '0' },
  }
}
