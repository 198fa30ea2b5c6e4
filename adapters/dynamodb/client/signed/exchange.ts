/** Requests to DynamoDB as they leave, with its limits. */
import { type Exchange, type ExchangeOptions, httpExchange } from '../../../aws/signed/exchange.ts'
import { STORE_SERVICE } from './store-service.ts'

export function storeExchange(options: ExchangeOptions): Exchange {
  return httpExchange(STORE_SERVICE, options)
}
