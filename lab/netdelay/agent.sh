#!/bin/sh
# Starts a command in the network namespace of a name, as ssh does on a machine: for mpirun --mca plm_rsh_agent.
#
#     agent.sh NAMESPACE COMMAND...
namespace=$1
shift
exec ip netns exec "$namespace" unshare --uts sh -c "hostname $namespace; $*"
