/** Kill tests on the emulator of DynamoDB; the short form has what differs by store. */
import { IS_LONG } from './form.ts'
import { healingSuite, keyedSuite, killSuite, rowSuite } from './suite.ts'

killSuite('dynamodb', IS_LONG ? /./ : /^REST success/)
rowSuite('dynamodb')
if (IS_LONG) {
  healingSuite('dynamodb')
  keyedSuite('dynamodb')
}
