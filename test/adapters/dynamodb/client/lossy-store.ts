/** A store over an embedded DynamoDB behind a proxy that can lose an answer, for one test file. */
import { afterAll, expect } from 'vitest'
import { dynamoClient } from '../../../../adapters/dynamodb/client/client.ts'
import type { DynamoStore } from '../../../../adapters/dynamodb/client/document-store.ts'
import { dynamoStore } from '../../../../adapters/dynamodb/client/sdk-store.ts'
import type { Clock } from '../../../../core/ports/outside.ts'
import { TABLES, useEmbeddedStore } from '../embedded-store.ts'
import { lossyProxy } from './lossy-proxy.ts'

export type LossyStore = {
  readonly store: DynamoStore
  /**
   * Runs `work` while the next answer to `operation` is lost, and makes sure that it was. `about`
   * is a text in the request.
   */
  losing<T>(operation: string, work: () => Promise<T>, about?: string): Promise<T>
}

/** Stopped after the file's last test; awaited outside of tests. */
export async function useLossyStore(clock: Clock): Promise<LossyStore> {
  const { endpoint } = await useEmbeddedStore(clock)
  const proxy = await lossyProxy(endpoint)
  const client = dynamoClient({ endpoint: proxy.endpoint })
  afterAll(async () => {
    client.destroy()
    await proxy.stop()
  })
  return {
    store: dynamoStore({ client, tables: TABLES, clock }),
    losing: async (operation, work, about = '') => {
      const before = proxy.lost()
      proxy.loseNext(operation, about)
      const answer = await work()
      expect(proxy.lost()).toBe(before + 1)
      return answer
    },
  }
}
