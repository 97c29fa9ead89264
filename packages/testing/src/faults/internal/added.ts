/** Interfaces for declaration merging with `faults/Fault`. */

/**
 * The groups of added resources, by name.
 *
 * @category models
 * @since 0.3.0
 */
export interface AddedGroups {}

/**
 * The services of these groups, for the types of generators.
 *
 * @category models
 * @since 0.3.0
 */
export interface AddedServices {}
