-- VHDL component of the module random
-- Version word of the build: 1ea5ed01
library ieee;
use ieee.std_logic_1164.all;

package random_pkg is
  constant random_version : std_logic_vector(31 downto 0) := x"1ea5ed01";
  constant random_latency : natural := 0; -- enabled clocks from inputs to outputs

  component random is
    port (
      x : in std_logic_vector(47 downto 0); -- 6 words of 8 bits, the first lowest: feature 0 to feature 5
      class_index : out std_logic_vector(1 downto 0) -- 2 bits: class
    );
  end component;
end package;
