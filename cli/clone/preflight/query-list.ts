/**
 * Lists of services that speak AWS's query protocol. Reads the pages of a list up to a bound.
 */
import type { AwsAccount, ServiceRequest } from '../../aws/ask-service.ts'
import { toQueryRequest } from '../../aws/query-request.ts'

type Ask = AwsAccount['ask']

export type ListQuery = {
  readonly service: ServiceRequest['service']
  readonly action: string
  readonly version: string
  readonly parameters: { readonly [name: string]: string }
}

/** Texts of the elements of one entry, by name. */
export type ListEntry = { readonly [element: string]: string }

/**
 * Most pages of a list that are read. A stack has at most 500 resources and 100 on a page; deleted
 * ones stay in the list for a while.
 */
const PAGES_MAX = 50

/** Returns all entries. Throws an Error if there are more pages than the bound. */
export async function readList(ask: Ask, query: ListQuery): Promise<readonly ListEntry[]> {
  const { action, parameters, service, version } = query
  const entries: ListEntry[] = []
  let token: string | undefined
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const next = token === undefined ? {} : { NextToken: token }
    const form = { Action: action, Version: version, ...parameters, ...next }
    const text = await ask(toQueryRequest(service, form))
    for (const [, entry = ''] of text.matchAll(/<member>(.*?)<\/member>/gs)) {
      entries.push(readEntry(entry))
    }
    token = /<NextToken>([^<]+)</.exec(text)?.[1]
    if (token === undefined) return entries
  }
  throw new Error(`${service}: ${action} has more than ${PAGES_MAX} pages`)
}

function readEntry(xml: string): ListEntry {
  const elements = [...xml.matchAll(/<(\w+)>([^<]*)</g)]
  return Object.fromEntries(elements.map(([, name = '', text = '']) => [name, text.trim()]))
}
