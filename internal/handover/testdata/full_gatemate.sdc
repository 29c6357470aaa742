# Timing constraints of the module random
# Version word of the build: 1ea5ed01
# The module has no clock. Where it stands between registers of a larger design, leave
# this out and constrain their clock.
set_max_delay 7.501 -from [all_inputs] -to [all_outputs]
