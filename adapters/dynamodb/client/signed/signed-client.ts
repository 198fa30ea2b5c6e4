/** The light client, as the sweep and the functions that agents wait for open it. */
import { configOfProcess } from '../../../config/env.ts'
import type { FunctionClient } from '../function-client.ts'
import { signedRequests } from './signed-requests.ts'

export const signedClient: FunctionClient<'signing' | 'storeEndpoint'> = {
  needs: ['signing', 'storeEndpoint'],
  open: ({ signing, storeEndpoint }) =>
    signedRequests({
      endpoint: storeEndpoint,
      region: signing.region,
      credentials: () => configOfProcess(['credentials']).credentials,
    }),
}
