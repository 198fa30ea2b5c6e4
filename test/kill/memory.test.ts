/**
 * Kill tests on the memory adapters, kept in their file; the short form has the cases that differ
 * by store.
 */
import { IS_LONG } from './form.ts'
import { healingSuite, keyedSuite, killSuite } from './suite.ts'

killSuite('memory', IS_LONG ? /./ : /^REST success/)
if (IS_LONG) {
  healingSuite('memory')
  keyedSuite('memory')
}
